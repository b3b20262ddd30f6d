# Sums the test cases in ctest's log. A test that ends with a line "N passed, N failed, N skipped" counts case by case,
# any other as one. A test that died after its summary, or without one, adds a failure. -v status: what ctest returned.

/^[0-9]+\/[0-9]+ Testing: / {
    p = f = s = 0
    summary = 0
}
/^[0-9]+ passed, [0-9]+ failed(, [0-9]+ skipped)?$/ {
    p = $1
    f = $3
    s = $5 + 0
    summary = 1
}
/^Test (Passed|Failed|Timeout|not run|Skipped)/ || /^Unable to find executable/ {
    good = /^Test Passed/
    if (!summary && good) {
        p = 1
    } else if (!good && f == 0) {
        f = 1
    }
    passed += p
    failed += f
    skipped += s
}
END {
    if (status != 0 && failed == 0) {
        failed = 1
    }
    printf "%d passed, %d failed%s\n", passed, failed, (skipped > 0 ? sprintf(", %d skipped", skipped) : "")
    exit failed > 0
}
