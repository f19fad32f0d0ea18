import { actorsAndGroupsTexts } from './field-texts/actors-and-groups.ts'
import { devicesTexts } from './field-texts/devices.ts'
import { logsTexts } from './field-texts/logs.ts'
import { mdmDevicesTexts } from './field-texts/mdm-devices.ts'
import { objectsTexts } from './field-texts/objects.ts'
import { resourcesAndPoliciesTexts } from './field-texts/resources-and-policies.ts'
import { signInTexts } from './field-texts/sign-in.ts'
import { syncRunsTexts } from './field-texts/sync-runs.ts'
import { type FieldText, type Texts, time } from './field-texts/text.ts'
import { v0Texts } from './field-texts/v0.ts'

/** Field descriptions, keyed by name (`name`) or by collection and name (`groups.name`). */
const texts: Texts = {}
const subjects = [objectsTexts, actorsAndGroupsTexts, resourcesAndPoliciesTexts, signInTexts, devicesTexts, logsTexts]
for (const [name, text] of [...subjects, syncRunsTexts, mdmDevicesTexts, v0Texts].flatMap(Object.entries<FieldText>)) {
  if (name in texts) throw new Error(`The field ${name} has two texts.`)
  texts[name] = text
}

/**
 * Lists the keys under which a field's description may be found, most specific first: `oidc_auth_providers.name`, `auth_providers.name`,
 * `name`.
 */
function textKeys(name: string, owner: string): string[] {
  const words = owner.split('_')
  return [...words.map((_word, i) => `${words.slice(i).join('_')}.${name}`), name]
}

/** Finds the description, example and format of a field. Fields without a description have a format only if their name ends in `_at`. */
export function fieldText(name: string, owner: string): Partial<FieldText> {
  const textKey = textKeys(name, owner).find((key) => texts[key])
  return texts[textKey ?? ''] ?? (name.endsWith('_at') ? { example: time, format: 'date-time' } : {})
}

/** Descriptions of query parameters, for all lists or for the lists of one collection (`logs.type`). */
const parameterTexts: Record<string, string> = {
  actor_id: 'Only entries of the actor with this id: a UUID.',
  actor_email:
    'Only entries of the actor that had this email address at that time. Cannot be combined with `type=api_request`.',
  address: 'Only resources with exactly this address, in the normalized form that the API returns.',
  begin: 'Only entries at or after this time, RFC 3339, for example `2026-03-01T00:00:00Z`. 90 days ago by default.',
  directory_id: 'Only groups that this directory synchronizes: a UUID. Empty for groups of no directory.',
  email: 'Only the actor with this email address (case-insensitive).',
  end: 'Only entries before this time, RFC 3339. Now by default.',
  entity_type: 'Only objects of this type: `group` or `org_unit`.',
  from: 'Number of the first leaf, or the size of the earlier checkpoint.',
  gateway_id: 'Only tokens of the gateway with this id, instead of those of the site: a UUID.',
  group_id: 'Only policies that grant access to members of this group: a UUID.',
  hour: 'Start of a sealed hour, RFC 3339, for example `2026-03-01T12:00:00Z`.',
  ip_stack: 'Only DNS resources that resolve to these address families.',
  ipv4: 'Only the gateway with exactly this tunnel address, for example `100.64.0.7`.',
  ipv6: 'Only the gateway with exactly this tunnel address, in any spelling.',
  name: 'Only objects with exactly this name (case-sensitive).',
  is_disabled: 'Only objects that are disabled (`true`) or enabled (`false`).',
  not_seen_since:
    'Only objects last seen before this time, RFC 3339, for example `2026-03-01T00:00:00Z`. Includes those that were never seen.',
  online: 'Only devices that have an unexpired session (`true`) or none (`false`).',
  orphaned: 'Only policies whose group was deleted (`true`), or policies with a group (`false`).',
  resource_id: 'Only policies that grant access to this resource: a UUID.',
  serial_number: 'Only devices for which the inventory reports exactly this serial number.',
  site_id: 'Only resources that are reached through this site: a UUID.',
  size: 'Size of the tree in leaves for which to create the proof.',
  stream: 'Log stream of the sealed hour: `session` or `api_request`.',
  svc_id: 'Only clients with this installation identifier. Several actors can each have one.',
  to: 'Number of the leaf after the last one, or the size of the later checkpoint.',
  type: 'Only objects of this kind, one of the allowed values.',
  verified: 'Only clients that an administrator has verified (`true`) or not (`false`).',
  'access.begin': 'Only refusals at or after this time, RFC 3339, for example `2026-03-01T00:00:00Z`.',
  'access.end': 'Only refusals at or before this time, RFC 3339.',
  'access.actor_id': 'Only refusals of the clients of this actor: a UUID.',
  'access.client_id': 'Only refusals of this client: a UUID.',
  'access.resource_id': 'Only refusals for this resource: a UUID.',
  'access.reason': 'Only refusals for this reason.',
  'authorizations.actor_id': 'Only authorizations of the clients of this actor: a UUID.',
  'authorizations.client_id': 'Only authorizations of this client: a UUID.',
  'authorizations.gateway_id': 'Only authorizations for this gateway: a UUID.',
  'authorizations.policy_id': 'Only authorizations that this policy granted: a UUID.',
  'authorizations.resource_id': 'Only authorizations for this resource: a UUID.',
  'clients.actor_id': 'Only clients of the actor with this id: a UUID.',
  'gateways.site_id': 'Only gateways of the site with this id: a UUID.',
  'mdm_devices.email':
    'Only devices whose person has this address in `email_address` or `user_email` (case-insensitive).',
  'logs.type': 'Only entries of one stream: `change`, `session`, `flow` or `api_request`.',
}

export function parameterText(name: string, tag: string): string {
  const text = parameterTexts[`${tag}.${name}`] ?? parameterTexts[name]
  if (!text) throw new Error(`The query parameter ${name} of ${tag} has no text in infra/openapi/field-texts.ts.`)
  return text
}
