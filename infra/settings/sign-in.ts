import { defaultSettings } from '#shared/core/env.ts'
import {
  integerSetting,
  optional,
  secretArn,
  setting,
  textSetting,
  texts,
  url,
  urlOfTenant,
  urlWithPlaces,
} from './kinds.ts'

const clientId = textSetting(/^[\x21-\x7e]{1,255}$/, 'up to 255 visible characters')

/** Addresses of apps and pages to redirect to; schemes of an app's own have a dot (RFC 8252, 7.1). */
const redirectUri =
  /^(https:\/\/[^\s/#@]+|http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(:\d+)?|[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:)(\/[^\s#]*)?$/

/** The deployment's own apps at providers of people, and where a sign-in leads back to. */
export const signInSettings = {
  signInRedirectUris: setting(
    texts(redirectUri, "addresses: https, http of the caller's own machine, or an app's scheme", 50),
    ['http://127.0.0.1/callback', 'http://[::1]/callback'],
    "where a sign-in leads back to; on the caller's own machine any port",
  ),
  signInBurst: setting(
    integerSetting(1, 100_000),
    defaultSettings.signInBurst,
    'how often each step of a sign-in can be taken at once behind one address; one more every second',
  ),
  suiteIssuer: setting(url, 'https://accounts.google.com', 'issuer of the workspace suite that people sign in with'),
  suiteClientId: optional(clientId, "client id of the deployment's app at the workspace suite"),
  suiteClientSecretArn: optional(secretArn, 'secret with the client secret of that app'),
  tenantIssuer: setting(
    urlOfTenant,
    'https://login.microsoftonline.com/{tenant_id}/v2.0',
    'issuer of a tenant of the cloud directory',
  ),
  tenantClientId: optional(clientId, "client id of the deployment's app at the cloud directory"),
  tenantClientSecretArn: optional(secretArn, 'secret with the client secret of that app'),
  idpApiUrl: setting(
    urlWithPlaces('an address, with {idp_domain} for the domain'),
    'https://{idp_domain}',
    'address of an identity-provider service',
  ),
}

export const synchronisationSettings = {
  suiteTokenUrl: setting(url, 'https://oauth2.googleapis.com/token', 'where tokens for a workspace suite come from'),
  suiteApiUrl: setting(url, 'https://admin.googleapis.com', 'address of the API of a workspace suite'),
  tenantTokenUrl: setting(
    urlOfTenant,
    'https://login.microsoftonline.com/{tenant_id}/oauth2/v2.0/token',
    'where tokens for a tenant of the cloud directory come from',
  ),
  tenantApiUrl: setting(
    url,
    'https://graph.microsoft.com',
    'address of the API of the cloud directory, for people, groups and devices',
  ),
  mdmApiUrl: setting(
    urlWithPlaces('an address, with {subdomain} for the customer and {.region} for its region'),
    'https://{subdomain}.api{.region}.kandji.io',
    'address of the device service; `{.region}` is `.eu`, or nothing for `us`',
  ),
}
