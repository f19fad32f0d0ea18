import { emailBucket, signInBucket } from '../auth/rate-limit/bucket.ts'
import { takeUnit } from '../auth/rate-limit/lease-holder.ts'

/** Counts an account's sign-in attempt, besides the limit by source address (A9). @throws ApiError `rate_limited` */
export const limitAttempts = (accountId: string, way: 'providers' | 'passcodes') =>
  takeUnit(signInBucket(accountId, way))

/** Counts an attempt for an email address, whether or not an actor has it. @throws ApiError `rate_limited` */
export const limitEmailAttempts = (email: string) => takeUnit(emailBucket(email))
