print("mediakit")
