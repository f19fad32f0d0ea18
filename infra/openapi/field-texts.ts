import { accountTexts } from './field-texts/account.ts'
import { actorsAndGroupsTexts } from './field-texts/actors-and-groups.ts'
import { answersTexts } from './field-texts/answers.ts'
import { devicesTexts } from './field-texts/devices.ts'
import { flowsTexts } from './field-texts/flows.ts'
import { logsTexts } from './field-texts/logs.ts'
import { objectsTexts } from './field-texts/objects.ts'
import { resourcesAndPoliciesTexts } from './field-texts/resources-and-policies.ts'
import { sealedLogsTexts } from './field-texts/sealed-logs.ts'
import { signInTexts } from './field-texts/sign-in.ts'
import { syncRunsTexts } from './field-texts/sync-runs.ts'
import { id, integer, type Text, type Texts, time } from './field-texts/text.ts'
import { v0ConfigurationTexts } from './field-texts/v0-configuration.ts'
import { v0DevicesTexts } from './field-texts/v0-devices.ts'
import { v0RulesAndUsersTexts } from './field-texts/v0-rules-and-users.ts'

/** What a field means wherever it stands: a name has one meaning in the whole API, and so a text in one place. */
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

const words = (name: string): string => name.replaceAll('_', ' ')
const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`

/** Ids that are no UUIDs of this service. */
const foreignIds =
  /^(svc|idp|log|mdm|client|tenant|user|blueprint|push_installation|tenant_device|mail_sync_device)_id$/

/** Description, example and form of a field, by its name; what has no text of its own is described by rule. */
export function fieldText(name: string): Text {
  const known = texts[name]
  if (known) return known
  if (name === 'id') return { description: 'Id, a UUID.', example: id, format: 'uuid' }
  if (name.endsWith('_id') && !foreignIds.test(name) && !/installation_id$/.test(name))
    return { description: `Id of the ${words(name.slice(0, -3))}.`, example: id, format: 'uuid' }
  if (name.endsWith('_at'))
    return {
      description: `Time of ${words(name.slice(0, -3))}, in UTC with microseconds.`,
      example: time,
      format: 'date-time',
    }
  if (/_(port|packets|bytes|count|secs)$/.test(name)) return integer(sentence(words(name)), 443)
  if (/_ip$/.test(name)) return { description: sentence(words(name)), example: '192.0.2.10' }
  return { description: sentence(words(name)) }
}
