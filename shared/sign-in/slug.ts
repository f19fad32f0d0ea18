/** The slug of an account, as a path names it. */
export const slugPattern = '^[A-Za-z0-9-]{3,100}$'

/** The same as documented. */
export const slug = {
  type: 'string',
  pattern: slugPattern,
  description: 'Short name of the company in its sign-in address, as administrators gave it.',
  examples: ['example'],
}
