# One line of C for every function of the public headers, for test_every_call.c:
#
#     EVERY(ph_sim_create, 4, 0, ph_sim_create(POINTER(0, "ph_model"), POINTER(1, "const ph_sim_def"), ...))
#
# name, how many of its arguments are pointers, how many are numbers, and the call.

function trim(text) { gsub(/^ +| +$/, "", text); return text }

# The expression for one parameter.
function argument(text,    type, stars) {
    text = trim(text)
    if (text == "void" || text == "") return ""
    sub(/\[[^]]*\]$/, " *", text) # arrays are pointers; their name comes before
    if (text ~ /\*/) {
        type = text
        sub(/ *[A-Za-z_0-9]* *\*?$/, "", type) # the name, and the last star
        if (text !~ /\*$/) sub(/\*$/, "", type)
        return "POINTER(" pointers++ ", \"" trim(type) "\")"
    }
    type = text
    sub(/ +[A-Za-z_0-9]+$/, "", type)
    sub(/^const /, "", type)
    if (type ~ /_function$/) return "0"
    if (type ~ /^(int|long long|double)$/) { numbers++; return "(" type ")NUMBER" }
    return "(" type "){0}"
}

function emit(text,    name, list, count, i, call, part) {
    name = text
    sub(/\(.*/, "", name)
    sub(/.*[ *]/, "", name)
    sub(/^[^(]*\(/, "", text)
    sub(/\) *;.*/, "", text)
    count = split(text, list, ",")
    pointers = numbers = 0
    call = ""
    for (i = 1; i <= count; i++) {
        part = argument(list[i])
        call = call (call != "" && part != "" ? ", " : "") part
    }
    printf "EVERY(%s, %d, %d, %s(%s))\n", name, pointers, numbers, name, call
}

/^#/ { next }
/PH_API/ { open = 1; text = "" }
open {
    line = $0
    sub(/\/\/.*/, "", line)
    text = text " " line
    if (line ~ /;/) {
        sub(/.*PH_API/, "", text)
        gsub(/[ \t]+/, " ", text)
        emit(text)
        open = 0
    }
}
