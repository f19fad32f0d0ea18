import type { Refusal } from '../refusals/sign-in-refused.ts'
import type { ProfileFields } from './profile-fields.ts'

/** Who somebody is at a provider, proven by it or by a passcode (I2.3). */
export type ProvenIdentity = {
  issuer: string
  idpId: string
  /** The address that the first link goes by (I3.2), or why none counts and for want of which claim. */
  email: { verified: string } | { refusal: Refusal; claim?: string }
  profile: Partial<ProfileFields>
}
