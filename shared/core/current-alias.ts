/** Lambda alias of the current version of a function. All invocations go through it. */
export const currentAlias = 'current'
