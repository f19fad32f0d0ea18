import { env } from '../../core/env.ts'

/** The tenant that personal accounts belong to: they are of no company, and never sign in. */
const personalAccounts = '9188040d-6c67-4c5b-b112-36a304b66dad'

/**
 * The tenant whose issuer this is; null where it is none of the cloud directory that the deployment signs in with. Its client
 * secret goes there and nowhere else (I1.3), so an issuer of another place is none.
 */
export function tenantOfIssuer(issuer: string): string | null {
  const [before = '', after = ''] = env.tenantIssuer.split('{tenant_id}')
  if (!issuer.startsWith(before) || !issuer.endsWith(after)) return null
  const tenant = issuer.slice(before.length, issuer.length - after.length)
  return /^[A-Za-z0-9-]{1,64}$/.test(tenant) && tenant.toLowerCase() !== personalAccounts ? tenant : null
}
