import { emailBucket, signInBucket } from '../auth/rate-limit/bucket.ts'
import { takeUnit } from '../auth/rate-limit/lease-holder.ts'

/**
 * Counts a sign-in attempt towards the account's limit, in addition to the limit per source address (A9). @throws ApiError `rate_limited`
 */
export const limitAttempts = (accountId: string, way: 'providers' | 'passcodes') =>
  takeUnit(signInBucket(accountId, way))

/** Counts an attempt for an email address, even if no actor has this address. @throws ApiError `rate_limited` */
export const limitEmailAttempts = (email: string) => takeUnit(emailBucket(email))
