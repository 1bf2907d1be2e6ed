const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const QUOTED = '"(?:[\\t !#-\\[\\]-~]|\\\\[\\t -~])*"';

/**
 * A media type by the grammar of RFC 9110 section 8.3.1, as the source of a regular expression so
 * that the request's schema can carry it. ASCII only: the value is signed and sent as a header.
 */
export const MEDIA_TYPE_PATTERN = `^${TOKEN}/${TOKEN}(?:[ \\t]*;[ \\t]*${TOKEN}=(?:${TOKEN}|${QUOTED}))*$`;
