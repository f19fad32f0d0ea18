import { defaultSettings } from '#shared/core/env.ts'
import {
  integerSetting,
  optional,
  secretArn,
  setting,
  tenantUrl,
  textSetting,
  texts,
  url,
  urlTemplate,
} from './kinds.ts'

const clientId = textSetting(/^[\x21-\x7e]{1,255}$/, '1 to 255 visible ASCII characters')

/** Redirect URIs of apps and pages. An app's own scheme must contain a dot (RFC 8252, 7.1). */
const redirectUri =
  /^(https:\/\/[^\s/#@]+|http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(:\d+)?|[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:)(\/[^\s#]*)?$/

export const signInSettings = {
  signInRedirectUris: setting(
    texts(redirectUri, "URIs (https, http on the caller's own machine, or an app's own scheme)", 50),
    ['http://127.0.0.1/callback', 'http://[::1]/callback'],
    "Redirect URIs that clients and portals may use for a sign-in. A URI on the caller's own machine matches with any port.",
  ),
  signInBurst: setting(
    integerSetting(1, 100_000),
    defaultSettings.signInBurst,
    'Requests for each step of a sign-in that one source address may send in a burst, then one per second. Pages allow five times both.',
  ),
  suiteIssuer: setting(url, 'https://accounts.google.com', 'OpenID Connect issuer of the workspace suite.'),
  suiteClientId: optional(
    clientId,
    "Client ID of the deployment's app at the workspace suite. Requires `suiteClientSecretArn`.",
  ),
  suiteClientSecretArn: optional(secretArn, 'Secret that contains the client secret of this app.'),
  tenantIssuer: setting(
    tenantUrl,
    'https://login.microsoftonline.com/{tenant_id}/v2.0',
    'OpenID Connect issuer of a tenant of the cloud directory.',
  ),
  tenantClientId: optional(
    clientId,
    "Client ID of the deployment's app at the cloud directory. Requires `tenantClientSecretArn`.",
  ),
  tenantClientSecretArn: optional(secretArn, 'Secret that contains the client secret of this app.'),
  idpApiUrl: setting(
    urlTemplate('a URL, in which {idp_domain} stands for the domain'),
    'https://{idp_domain}',
    'Base URL of an identity-provider service.',
  ),
}

export const synchronisationSettings = {
  suiteTokenUrl: setting(url, 'https://oauth2.googleapis.com/token', 'Token endpoint of the workspace suite.'),
  suiteApiUrl: setting(url, 'https://admin.googleapis.com', 'Base URL of the API of the workspace suite.'),
  tenantTokenUrl: setting(
    tenantUrl,
    'https://login.microsoftonline.com/{tenant_id}/oauth2/v2.0/token',
    'Token endpoint of a tenant of the cloud directory.',
  ),
  tenantApiUrl: setting(
    url,
    'https://graph.microsoft.com',
    'Base URL of the API of the cloud directory, from which people, groups and devices are read.',
  ),
  mdmApiUrl: setting(
    urlTemplate('a URL, in which {subdomain} stands for the customer and {.region} for its region'),
    'https://{subdomain}.api{.region}.kandji.io',
    'Base URL of the device management service. `{.region}` becomes `.eu`, or nothing for the region `us`.',
  ),
}
