/** What stands below `/sign_in` where an account's slug can: an account of that name could not be signed in to (I2.1). */
export const reservedSlugs: readonly string[] = ['callback', 'session', 'token']
