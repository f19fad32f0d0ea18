import { type AuthProviderRow, tenantOfIssuer } from '../../domain/auth-providers/auth-provider.ts'
import { checkEmail } from '../../values/email.ts'
import { foldAscii } from '../../values/text.ts'
import { findSettledIdentity, type ProvenIdentity } from '../identities/find-identity.ts'
import { profileOf } from '../identities/profile-fields.ts'
import { type Refusal, SignInRefused } from '../refusals/sign-in-refused.ts'
import type { SignInContext } from '../sign-in-context.ts'
import type { OpenIdKind } from './provider-app.ts'

export type Claims = Record<string, unknown>

/** Merges the claims of the ID token and of userinfo. Takes `email` and `email_verified` from the same source (I2.2(3)). */
export function withUserinfo(claims: Claims, userinfo: Claims): Claims {
  const isSame = claims.email === userinfo.email && claims.email_verified === undefined
  const { email, email_verified } = claims.email === undefined || isSame ? userinfo : claims
  // Claims of the ID token take precedence, because userinfo is not signed.
  return { ...userinfo, ...claims, email, email_verified }
}

/** Identity from a provider's verified claims. `toProve` is an email that the person must prove with a passcode. */
export type ClaimedIdentity = ProvenIdentity & { toProve: string | null }

/** Accepts the string `true`, because some providers send booleans as strings. */
const isTrue = (claim: unknown): boolean => claim === true || claim === 'true'

const textOf = (claim: unknown): string | null => (typeof claim === 'string' && claim.trim() !== '' ? claim : null)

/** Maximum length of a subject (OpenID Connect Core 1.0, 2). */
const maxSubject = 255

/** Name of the claim that contains the subject. The kind `tenant` uses `oid`, because `sub` differs between apps. */
const subjectClaim = (kind: OpenIdKind): 'sub' | 'oid' => (kind === 'tenant' ? 'oid' : 'sub')

export function subjectIn(kind: OpenIdKind, claims: Claims): string | null {
  const subject = textOf(claims[subjectClaim(kind)])
  return subject !== null && subject.length <= maxSubject && subject.isWellFormed() ? subject : null
}

/** Claims that every sign-in needs (`always`), and additional claims that the first link needs (`toLink`, I2.3). */
export function neededClaims(kind: OpenIdKind, provider: AuthProviderRow): { always: string[]; toLink: string[] } {
  if (kind === 'suite') {
    return { always: provider.hosted_domain ? ['hd'] : [], toLink: ['email', 'email_verified', 'hd'] }
  }
  if (kind === 'tenant') return { always: ['oid', 'tid'], toLink: [provider.email_claim ?? 'upn'] }
  const verified = kind === 'idp' || provider.email_verification_method === 'claim'
  return { always: [], toLink: ['email', ...(verified ? ['email_verified'] : [])] }
}

function checkMembership(kind: OpenIdKind, provider: AuthProviderRow, claims: Claims): void {
  const domain = kind === 'suite' ? provider.hosted_domain : null
  if (domain && foldAscii(textOf(claims.hd) ?? '') !== foldAscii(domain)) {
    throw new SignInRefused('domain_other', null, { claim: 'hd' })
  }
  const tenant = kind === 'tenant' ? tenantOfIssuer(provider.issuer) : undefined
  // `tenant` is null for an issuer without a tenant and for the issuer of personal accounts. In both cases, every `tid` is rejected.
  if (tenant !== undefined && (tenant === null || textOf(claims.tid)?.toLowerCase() !== tenant.toLowerCase())) {
    throw new SignInRefused('tenant_other', null, { claim: 'tid' })
  }
}

type Address = Pick<ClaimedIdentity, 'email' | 'toProve'>

const unverified = (refusal: Refusal, claim: string): Address => ({ email: { refusal, claim }, toProve: null })

function readAddress(kind: OpenIdKind, provider: AuthProviderRow, claims: Claims): Address {
  const name = kind === 'tenant' ? (provider.email_claim ?? 'upn') : 'email'
  const email = textOf(claims[name])
  if (email === null) return unverified('email_missing', name)
  const method = kind === 'oidc' ? provider.email_verification_method : 'claim'
  if (kind === 'tenant' || method === 'none') return { email: { verified: email }, toProve: null }
  if (method === 'proof') return { ...unverified('email_not_verified', name), toProve: email }
  if (!isTrue(claims.email_verified)) return unverified('email_not_verified', 'email_verified')
  // Without `hd`, the address belongs to a foreign domain, so the provider does not vouch for its current owner.
  if (kind === 'suite' && textOf(claims.hd) === null) return unverified('email_not_vouched_for', 'hd')
  return { email: { verified: email }, toProve: null }
}

/**
 * Converts verified claims to an identity (I2.3, I3.4).
 * @throws SignInRefused if the subject is missing, or if the domain or tenant does not match
 */
export function identityOfClaims(kind: OpenIdKind, provider: AuthProviderRow, claims: Claims): ClaimedIdentity {
  const idpId = subjectIn(kind, claims)
  if (idpId === null) throw new SignInRefused('subject_missing', null, { claim: subjectClaim(kind) })
  checkMembership(kind, provider, claims)
  const profile = profileOf({ ...claims, svc_avatar_url: claims.picture })
  return { issuer: provider.issuer, idpId, ...readAddress(kind, provider, claims), profile }
}

/**
 * Returns the email that the person must prove with a passcode before the identity is first linked (I2.3). Returns null if no proof is needed.
 * @throws SignInRefused if the email is malformed
 */
export async function emailToProve(
  accountId: string,
  identity: ClaimedIdentity,
  context: SignInContext,
): Promise<string | null> {
  if (identity.toProve === null || (await findSettledIdentity(accountId, identity, context))) return null
  const checked = checkEmail(identity.toProve.trim())
  if (!('email' in checked)) throw new SignInRefused('email_invalid')
  return checked.email
}
