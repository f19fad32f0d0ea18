/** Lambda alias of the current version of a function, used by all invocations. */
export const currentAlias = 'current'
