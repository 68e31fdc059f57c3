# count_picture.awk: how often one picture occurs in another, pixel by pixel, by comparing it
# at every place. The slow and plain answer that ./demo compares Trawl's with.
#     cat NEEDLE.ppm PICTURE.ppm | awk -f count_picture.awk        (both plain PPM, "P3")
function next_value() {
    while (at >= NF) {
        if ((getline) <= 0)
            return -1
        at = 0
    }
    return $(++at)
}
# One string a row, six hexadecimal digits a pixel; the width goes to `width`.
function read_picture(rows,    height, y, x, value) {
    next_value() # P3
    width = next_value()
    height = next_value()
    next_value() # the largest value
    for (y = 0; y < height; y++) {
        rows[y] = ""
        for (x = 0; x < 3 * width; x++)
            rows[y] = rows[y] sprintf("%02x", next_value())
    }
    return height
}
function occurs_at(y, start,    j) {
    for (j = 0; j < needle_height; j++)
        if (substr(text[y + j], start, length(needle[j])) != needle[j])
            return 0
    return 1
}
BEGIN {
    needle_height = read_picture(needle)
    text_height = read_picture(text)
    for (y = 0; y + needle_height <= text_height; y++)
        for (x = 0; 6 * x + length(needle[0]) <= length(text[0]); x++)
            total += occurs_at(y, 6 * x + 1)
    print total + 0
}
