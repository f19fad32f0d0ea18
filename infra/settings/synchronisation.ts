import { url, urlOfTenant, urlWithPlaces } from './forms.ts'
import { setting } from './setting.ts'

/** Where directories and inventories are asked. */
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
