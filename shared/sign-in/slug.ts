/** The slug of an account, as a path names it. */
export const slugPattern = '^[A-Za-z0-9-]{3,100}$'

/** The same as documented. */
export const slug = {
  type: 'string',
  pattern: slugPattern,
  description: 'Slug of the account.',
  examples: ['example'],
}
