// libcrypto of OpenSSL 3, as Swift sees it: keys, signatures, digests.
#ifndef MEDIAKIT_COPENSSL_SHIM_H
#define MEDIAKIT_COPENSSL_SHIM_H

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>

/// The number of the Ed25519 key type.
static inline int mk_ed25519(void) { return EVP_PKEY_ED25519; }

/// Answers the question for a passphrase with none, so that nobody is asked on a terminal.
static inline int mk_no_passphrase(char *buffer, int size, int writes, void *context) {
    (void)buffer, (void)size, (void)writes, (void)context;
    return -1;
}

static inline EVP_PKEY *mk_read_public_key(BIO *text) {
    return PEM_read_bio_PUBKEY(text, NULL, mk_no_passphrase, NULL);
}

static inline EVP_PKEY *mk_read_private_key(BIO *text) {
    return PEM_read_bio_PrivateKey(text, NULL, mk_no_passphrase, NULL);
}

static inline int mk_write_private_key(BIO *text, const EVP_PKEY *key) {
    return PEM_write_bio_PrivateKey(text, key, NULL, NULL, 0, NULL, NULL);
}

#endif
