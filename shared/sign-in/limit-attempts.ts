import { emailBucket, signInBucket } from '../auth/rate-limit/bucket.ts'
import { takeUnit } from '../auth/rate-limit/take-unit.ts'

/**
 * Counts an attempt to sign in to an account, beside the count by source address that every public operation has (A9).
 * @throws ApiError `rate_limited`, whoever it is about
 */
export async function limitAttempts(accountId: string, way: 'providers' | 'passcodes'): Promise<void> {
  await takeUnit(signInBucket(accountId, way))
}

/** The same of an email address, whether anybody here has it or not. @throws ApiError `rate_limited` */
export async function limitEmailAttempts(email: string): Promise<void> {
  await takeUnit(emailBucket(email))
}
