/** Alias of a function's version in force, by which every function is invoked. */
export const currentAlias = 'current'
