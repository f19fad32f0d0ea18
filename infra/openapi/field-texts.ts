import { accountTexts } from './field-texts/account.ts'
import { actorsAndGroupsTexts } from './field-texts/actors-and-groups.ts'
import { answersTexts } from './field-texts/answers.ts'
import { devicesTexts } from './field-texts/devices.ts'
import { flowsTexts } from './field-texts/flows.ts'
import { logsTexts } from './field-texts/logs.ts'
import { mdmDevicesFirstTexts } from './field-texts/mdm-devices-a-to-l.ts'
import { mdmDevicesLastTexts } from './field-texts/mdm-devices-m-to-z.ts'
import { objectsTexts } from './field-texts/objects.ts'
import { resourcesAndPoliciesTexts } from './field-texts/resources-and-policies.ts'
import { sealedLogsTexts } from './field-texts/sealed-logs.ts'
import { signInTexts } from './field-texts/sign-in.ts'
import { syncRunsTexts } from './field-texts/sync-runs.ts'
import { type Text, type Texts, time } from './field-texts/text.ts'
import { v0ConfigurationTexts } from './field-texts/v0-configuration.ts'
import { v0DevicesTexts } from './field-texts/v0-devices.ts'
import { v0RulesAndUsersTexts } from './field-texts/v0-rules-and-users.ts'

/** The meaning of each field: of a name everywhere, or of a name in one collection (`groups.name`). A text is in one place. */
const texts = inOnePlace([
  answersTexts,
  objectsTexts,
  accountTexts,
  actorsAndGroupsTexts,
  resourcesAndPoliciesTexts,
  signInTexts,
  devicesTexts,
  flowsTexts,
  logsTexts,
  sealedLogsTexts,
  syncRunsTexts,
  mdmDevicesFirstTexts,
  mdmDevicesLastTexts,
  v0DevicesTexts,
  v0RulesAndUsersTexts,
  v0ConfigurationTexts,
])

/** @throws Error when two places have a text for a name */
function inOnePlace(places: Texts[]): Texts {
  const all = places.flatMap(Object.entries<Text>)
  const twice = all.find(([name], i) => all.findIndex(([other]) => other === name) < i)
  if (twice) throw new Error(`The field ${twice[0]} has two texts.`)
  return Object.fromEntries(all)
}

/** The form of a field by its name, where it has no text. */
function formOf(name: string): Partial<Text> {
  if (name.endsWith('_at')) return { example: time, format: 'date-time' }
  return {}
}

/** The names that a field has for an owner, the most particular first: `oidc_auth_providers.name`, `auth_providers.name`, …, `name`. */
function namesOf(name: string, owner: string): string[] {
  const words = owner.split('_')
  return [...words.map((_word, i) => `${words.slice(i).join('_')}.${name}`), name]
}

/** Description, example and form of a field of a collection's objects. What has no text gets none, and a law names it. */
export function fieldText(name: string, owner: string): Partial<Text> {
  const known = namesOf(name, owner).find((key) => texts[key])
  return (known === undefined ? undefined : texts[known]) ?? formOf(name)
}
