// Decibels in tests.

import Foundation

/// The amplitude ratio of decibels.
func decibelsToRatio(_ decibels: Double) -> Double { pow(10, decibels / 20) }
