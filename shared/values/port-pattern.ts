/** The digits of a port, 1 to 65535, for patterns of JSON Schema. */
export const portPattern = '([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])'
