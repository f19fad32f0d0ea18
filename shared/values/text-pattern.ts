/** Patterns of JSON Schema for what a text may hold. None has U+0000; white space is what every dialect of them takes for it. */
export const textPattern = {
  any: '^[^\\u0000]*$',
  /** With something beside white space. */
  filled: '^[^\\u0000]*[^\\s\\u0085\\u0000][^\\u0000]*$',
  /** Nothing at all, or something beside white space. */
  emptyOrFilled: '^([^\\u0000]*[^\\s\\u0085\\u0000][^\\u0000]*)?$',
}
