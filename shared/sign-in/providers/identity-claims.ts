import type { AuthProviderRow } from '../../domain/auth-providers/auth-provider.ts'
import { tenantOfIssuer } from '../../domain/auth-providers/tenant-issuer.ts'
import { foldAscii } from '../../values/fold-ascii.ts'
import { profileOf } from '../identities/profile-fields.ts'
import type { ProvenIdentity } from '../identities/proven-identity.ts'
import { type Refusal, SignInRefused } from '../refusals/sign-in-refused.ts'
import type { OpenIdKind } from './provider-app.ts'

export type Claims = Record<string, unknown>

/**
 * Merges the claims of an ID token with those of userinfo. An email and `email_verified` come from one source, since
 * each source vouches only for its own address.
 */
export function withUserinfo(claims: Claims, userinfo: Claims): Claims {
  const isSame = claims.email === userinfo.email && claims.email_verified === undefined
  const { email, email_verified } = claims.email === undefined || isSame ? userinfo : claims
  // Signed claims win over unsigned ones.
  return { ...userinfo, ...claims, email, email_verified }
}

/** Who signs in, by the verified claims of a provider; an email that is still to be proven by a passcode is `toProve`. */
export type ClaimedIdentity = ProvenIdentity & { toProve: string | null }

/** Some providers send booleans as text. */
const isTrue = (claim: unknown): boolean => claim === true || claim === 'true'

const textOf = (claim: unknown): string | null => (typeof claim === 'string' && claim.trim() !== '' ? claim : null)

/** The longest that a subject can be (OpenID Connect Core 1.0, 2). */
const maxSubject = 255

/** The claim that says who somebody is at the provider; a tenant has `oid` for it, since `sub` is another for each app. */
const subjectClaim = (kind: OpenIdKind): 'sub' | 'oid' => (kind === 'tenant' ? 'oid' : 'sub')

/** Returns the subject of claims; null where there is none, or one that cannot be stored. */
export function subjectIn(kind: OpenIdKind, claims: Claims): string | null {
  const subject = textOf(claims[subjectClaim(kind)])
  return subject !== null && subject.length <= maxSubject && subject.isWellFormed() ? subject : null
}

/** @throws SignInRefused */
function subjectOf(kind: OpenIdKind, claims: Claims): string {
  const subject = subjectIn(kind, claims)
  if (subject === null) throw new SignInRefused('subject_missing', null, { claim: subjectClaim(kind) })
  return subject
}

/** The claims that a kind needs: for every sign-in, and beside them for the first link (I2.3). */
export function claimsOf(kind: OpenIdKind, provider: AuthProviderRow): { always: string[]; toLink: string[] } {
  if (kind === 'suite') {
    return { always: provider.hosted_domain ? ['hd'] : [], toLink: ['email', 'email_verified', 'hd'] }
  }
  if (kind === 'tenant') return { always: ['oid', 'tid'], toLink: [provider.email_claim ?? 'upn'] }
  const verified = kind === 'idp' || provider.email_verification_method === 'claim'
  return { always: [], toLink: ['email', ...(verified ? ['email_verified'] : [])] }
}

/**
 * What a kind asks of every sign-in, whether or not the identity is known: the domain or tenant that it is restricted to.
 * @throws SignInRefused
 */
function checkMembership(kind: OpenIdKind, provider: AuthProviderRow, claims: Claims): void {
  const domain = kind === 'suite' ? provider.hosted_domain : null
  if (domain && foldAscii(textOf(claims.hd) ?? '') !== foldAscii(domain)) {
    throw new SignInRefused('domain_other', null, { claim: 'hd' })
  }
  const tenant = kind === 'tenant' ? tenantOfIssuer(provider.issuer) : undefined
  // The tenant of personal accounts is none, and so is every tenant to an issuer without one.
  if (tenant !== undefined && (tenant === null || textOf(claims.tid)?.toLowerCase() !== tenant.toLowerCase())) {
    throw new SignInRefused('tenant_other', null, { claim: 'tid' })
  }
}

type Address = Pick<ClaimedIdentity, 'email' | 'toProve'>

const without = (refusal: Refusal, claim: string): Address => ({ email: { refusal, claim }, toProve: null })

/** The email that the first link goes by, or why none counts and for want of which claim. */
function addressOf(kind: OpenIdKind, provider: AuthProviderRow, claims: Claims): Address {
  const name = kind === 'tenant' ? (provider.email_claim ?? 'upn') : 'email'
  const email = textOf(claims[name])
  if (email === null) return without('email_missing', name)
  const method = kind === 'oidc' ? provider.email_verification_method : 'claim'
  if (kind === 'tenant' || method === 'none') return { email: { verified: email }, toProve: null }
  if (method === 'proof') return { ...without('email_not_verified', name), toProve: email }
  if (!isTrue(claims.email_verified)) return without('email_not_verified', 'email_verified')
  // Without a domain of its own the provider does not vouch for the address: whoever had it once may sign in with it.
  if (kind === 'suite' && textOf(claims.hd) === null) return without('email_not_vouched_for', 'hd')
  return { email: { verified: email }, toProve: null }
}

/** The identity that claims make (I2.3, I3.4). @throws SignInRefused by what every sign-in of the kind needs */
export function identityOfClaims(kind: OpenIdKind, provider: AuthProviderRow, claims: Claims): ClaimedIdentity {
  const idpId = subjectOf(kind, claims)
  checkMembership(kind, provider, claims)
  const profile = profileOf({ ...claims, svc_avatar_url: claims.picture })
  return { issuer: provider.issuer, idpId, ...addressOf(kind, provider, claims), profile }
}
