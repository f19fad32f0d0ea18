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

/** Text of each field, by name (`name`) or by collection and name (`groups.name`). */
const texts: Texts = {}
const subjects = [objectsTexts, actorsAndGroupsTexts, resourcesAndPoliciesTexts, signInTexts, devicesTexts, logsTexts]
for (const [name, text] of [...subjects, syncRunsTexts, mdmDevicesTexts, v0Texts].flatMap(Object.entries<FieldText>)) {
  if (name in texts) throw new Error(`The field ${name} has two texts.`)
  texts[name] = text
}

/** Lists the keys of a field's text, most specific first: `oidc_auth_providers.name`, `auth_providers.name`, `name`. */
function namesOf(name: string, owner: string): string[] {
  const words = owner.split('_')
  return [...words.map((_word, i) => `${words.slice(i).join('_')}.${name}`), name]
}

/** Finds description, example and format of a field. Empty for a field without a text, which a law reports. */
export function fieldText(name: string, owner: string): Partial<FieldText> {
  const known = namesOf(name, owner).find((key) => texts[key])
  return texts[known ?? ''] ?? (name.endsWith('_at') ? { example: time, format: 'date-time' } : {})
}

/** Text of each query parameter, for all lists or for those of one collection (`logs.type`). */
const parameterTexts: Record<string, string> = {
  actor_id: 'Only entries of this actor, as recorded at that time: a UUID.',
  actor_email: 'Only entries of the actor with this address at that time. Not together with `type=api_request`.',
  address: 'Only resources at exactly this address, in the normalized form in which it is answered.',
  begin: 'Only entries from this instant on, RFC 3339, for example `2026-03-01T00:00:00Z`; 90 days ago when left out.',
  directory_id: 'Only groups that this directory synchronizes: a UUID. Empty: groups of no directory.',
  email: 'Only the actor with this address, ignoring case.',
  end: 'Only entries before this instant, RFC 3339; now when left out.',
  entity_type: 'Only `group`, or only `org_unit`.',
  from: 'Number of the first leaf, or the size of the earlier checkpoint.',
  group_id: 'Only policies that grant access to members of this group: a UUID.',
  hour: 'Begin of a sealed hour, RFC 3339, for example `2026-03-01T12:00:00Z`.',
  ip_stack: 'Only DNS resources that are resolved to these families.',
  ipv4: 'Only the gateway with exactly this tunnel address, for example `100.64.0.7`.',
  ipv6: 'Only the gateway with exactly this tunnel address, in any spelling.',
  name: 'Only what is called exactly so; case matters.',
  resource_id: 'Only policies that grant this resource: a UUID.',
  site_id: 'Only resources that are reached through this place: a UUID.',
  size: 'How many leaves the tree has that the proof leads to.',
  stream: 'Log stream of the sealed hour: `session` or `api_request`.',
  svc_id: 'Only clients of the installation with this identifier; several actors can have one each.',
  to: 'Number of the leaf behind the last one, or the size of the later checkpoint.',
  type: 'Only objects of this kind; the allowed values are listed.',
  'logs.type': 'Only one stream: `change`, `session`, `flow` or `api_request`.',
}

/** Finds the text of a query parameter. @throws Error if there is none */
export function parameterText(name: string, tag: string): string {
  const text = parameterTexts[`${tag}.${name}`] ?? parameterTexts[name]
  if (!text) throw new Error(`The query parameter ${name} of ${tag} has no text in infra/openapi/field-texts.ts.`)
  return text
}
