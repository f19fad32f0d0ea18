import type { Draft } from '../../values/draft.ts'
import type { SiteRow } from '../sites/site.ts'
import { checkAddress } from './address.ts'
import type { ResourceInput, ResourceRow } from './resource.ts'

type Checked = Draft<Partial<ResourceInput>>

/** The rules between type and site (A18.3); `site` is the one that the resource would be in. */
export function checkTypeAndSite(draft: Checked, site: SiteRow | null, type: ResourceRow['type'] | undefined): void {
  const system = site?.managed_by === 'system'
  if (type === 'static_device_pool') draft.reject('type', 'device pools cannot be created through the API')
  else if (type === 'internet') {
    if (site && !system) draft.reject('site_id', 'must be the Internet Site')
    else if (site) draft.reject('type', 'an Internet Resource already exists')
  } else if (type !== undefined && system) draft.reject('site_id', 'cannot be the Internet Site')
}

/** The normalised address for the type, from what was sent or is stored (A18.4). */
export function normalised(
  draft: Checked,
  type: ResourceRow['type'] | undefined,
  address: string | null | undefined,
): string | null {
  if (draft.has('address')) return null
  if (address === null || address === undefined) {
    if (type !== 'internet' && type !== 'static_device_pool') draft.reject('address', "can't be blank")
    return null
  }
  if (type !== 'dns' && type !== 'cidr' && type !== 'ip') return null
  const checked = checkAddress(type, address)
  if ('address' in checked) return checked.address
  draft.reject('address', checked.message)
  return null
}

/** The ip_stack that results; only DNS resources have one (A18.2). `stored` is null on create and on entering dns. */
export function resultingStack(
  draft: Checked,
  type: ResourceRow['type'] | undefined,
  stored: ResourceRow['ip_stack'],
): ResourceRow['ip_stack'] {
  const { ip_stack: sent } = draft.fields
  if (type === 'dns') {
    if (sent === null && stored !== null) draft.reject('ip_stack', "can't be blank")
    return sent ?? stored ?? 'dual'
  }
  if (sent !== undefined && sent !== null && type !== undefined) {
    draft.reject('ip_stack', 'is supported only for DNS resources')
  }
  return null
}
