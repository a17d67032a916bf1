# For packaging/notices: the crates of its list, by what their files say, as paragraphs of Debian's copyright files. A text
# that many have stands there once, crates of the same people's and terms together.
BEGIN {
    FS = "\t"
    APACHE = " On Debian systems the text of the Apache License 2.0 is in\n" \
        " /usr/share/common-licenses/Apache-2.0; LICENSE-APACHE in Ciphertune's sources is\n it too.\n"
}
# The list of crates, and then their files.
FILENAME == ARGV[1] { crates[++count] = $1; name_of[$2] = $1; licence[$1] = $3; authors[$1] = $4; next }
FNR == 1 {
    ended()
    path = FILENAME
    sub("/[^/]*$", "", path)
    crate = name_of[path]
    files[crate]++
}
{
    sub(/[ \r]+$/, "")
    if ($0 == "") {
        gap = " .\n"
        next
    }
    # Debian wants this one named and not printed, wherever it stands.
    if ($0 ~ /^ *Apache License$/) apache = 1
    if (!apache) whole = whole (whole == "" ? "" : gap) " " $0 "\n"
    if ($0 ~ /END OF TERMS AND CONDITIONS/ && apache) {
        apache = 0
        whole = whole APACHE
    }
    # What stands for a name in Apache's text is nobody's.
    if ($0 ~ /^ *Copyrights? [^[{]/) {
        sub(/^ *Copyright (\([cC]\) |© )?/, "")
        if (!seen[crate, $0]++) copyright[crate] = copyright[crate] " " $0 "\n"
    } else if (tolower($0) !~ /^(the )?(mit|isc) license( \(mit\))?$/) {
        text = text (text == "" ? "" : gap) " " $0 "\n"
    }
    gap = ""
}
# What has been read is a licence that is printed once, or something of this crate's.
function ended(  words, name) {
    words = text
    gsub(/( \.)?[ \n]+/, " ", words)
    sub(/^ /, "", words)
    if (words ~ /LLVM Exceptions to the Apache 2\.0 License/) {
        name = "Apache-2.0 with LLVM exception"
        sub(/.*\n[- ]*LLVM Exceptions to the/, " As Apache-2.0, and:\n .\n LLVM Exceptions to the", text)
    } else if (words ~ /^Apache License Version 2\.0/) {
        name = "Apache-2.0"
        text = APACHE
        words = ""
    } else if (words ~ /^Permission is hereby granted, free of charge, to any person obtaining/) {
        name = "Expat"
    } else if (words ~ /^Permission to use, copy, modify, and\/or distribute/) {
        name = "ISC"
    } else if (words ~ /^This is free and unencumbered software/) {
        name = "Unlicense"
    } else if (words ~ /^Boost Software License - Version 1\.0/) {
        name = "BSL-1.0"
    }
    if (name != "" && !(name in texts)) {
        names[++known] = name
        texts[name] = text
        as_read[name] = words
    }
    if (name == "" || as_read[name] != words) comment[crate] = comment[crate] text
    wholes[crate] = wholes[crate] whole
    text = whole = gap = apache = ""
}
END {
    ended()
    for (i = 1; i <= count; i++) {
        crate = crates[i]
        if (!files[crate]) refuse(crate " has no file with its licence")
        terms = licence[crate]
        gsub(/MIT/, "Expat", terms)
        gsub(/ OR |\//, " or ", terms)
        gsub(/ WITH LLVM-exception/, " with LLVM exception", terms)
        holders = copyright[crate]
        if (holders == "") holders = " " (authors[crate] == "" ? "the authors of " crate : authors[crate]) "\n"
        if (terms ~ / AND /) {
            # Parts have terms of their own, and its file says which.
            paragraph = "License: " crate "\n" wholes[crate]
        } else {
            several = split(terms, each, " or ")
            for (j = 1; j <= several; j++) {
                if (!(each[j] in texts)) refuse("no crate has the text of " each[j] ", which " crate " names")
                used[each[j]] = 1
            }
            paragraph = "License: " terms "\n"
            if (comment[crate] != "") paragraph = paragraph "Comment:\n" comment[crate]
        }
        paragraph = "Copyright:\n" holders paragraph
        if (!(paragraph in sources)) paragraphs[++different] = paragraph
        sources[paragraph] = sources[paragraph] " vendor/" crate "/*\n"
    }
    for (i = 1; i <= different; i++) printf "\nFiles:\n%s%s", sources[paragraphs[i]], paragraphs[i]
    # Ciphertune's own are among them.
    used["Expat"] = used["Apache-2.0"] = 1
    for (i = 1; i <= known; i++) if (names[i] in used) printf "\nLicense: %s\n%s", names[i], texts[names[i]]
}
function refuse(why) {
    print "notices: " why >"/dev/stderr"
    exit 1
}
