import { beforeAll, expect, it } from 'vitest'
import { type Templates, templatesOf } from '#test/support/service/templates.ts'
import { documentedCommands } from './aws-cli/documents.ts'

/** Properties whose values differ between a temporary mapping and the managed one. */
const own = ['EventSourceArn', 'FunctionName', 'StartingPosition', 'StartingPositionTimestamp', 'Tags']

const optionOf = (property: string): string => `--${property.replace(/(?!^)([A-Z])/g, '-$1').toLowerCase()}`

const consumers = new Map([
  ['StoreFlowLogs', 'streams/store-flow-logs.handler'],
  ['WriteChangeLog', 'streams/write-change-log.handler'],
  ['FollowUp', 'streams/follow-up.handler'],
])

const creations = documentedCommands('aws', 'lambda', 'create-event-source-mapping').filter(
  ({ words }) => words.length > 3,
)

let templates: Templates
beforeAll(async () => {
  templates = await templatesOf([])
})

function managedMapping(handler: string): Record<string, unknown> {
  const [id] =
    templates.entries('AWS::Lambda::Function').find(([, { Properties }]) => Properties.Handler === handler) ?? []
  const found = templates
    .all('AWS::Lambda::EventSourceMapping')
    .find(({ Properties }) => templates.functionOfAlias(Properties.FunctionName) === id)
  if (!found) throw new Error(`Nothing feeds ${handler}.`)
  return found.Properties
}

/** Returns the value of a documented CLI option in the form of the CloudFormation property. */
function documentedValue(words: readonly string[], property: string): unknown {
  const index = words.indexOf(optionOf(property))
  if (index === -1) return undefined
  const value = words[index + 1] ?? ''
  if (property === 'BisectBatchOnFunctionError') return true
  if (property === 'FunctionResponseTypes') return [value]
  if (property === 'MetricsConfig') return { Metrics: [value.replace('Metrics=', '')] }
  return value.startsWith('{') || /^\d+$/.test(value) ? JSON.parse(value) : value
}

it('the documents have a temporary mapping of each consumer', () => {
  const functions = creations.map(({ words }) => /<(\w+)>/.exec(words[words.indexOf('--function-name') + 1] ?? '')?.[1])
  expect(new Set(functions)).toEqual(new Set(consumers.keys()))
})

it.each(creations.map((creation) => [creation.words[4] ?? '', creation] as const))(
  'the temporary mapping of %s has every property of the managed one',
  (name, { words }) => {
    const consumer = /<(\w+)>/.exec(name)?.[1] ?? ''
    const managed = managedMapping(consumers.get(consumer) ?? '')
    const properties = Object.keys(managed).filter((property) => !own.includes(property))
    expect(properties.length).toBeGreaterThan(6)
    for (const property of properties) {
      const isOpen = property === 'DestinationConfig'
      const expected = isOpen ? { OnFailure: { Destination: expect.stringMatching(/^<.+>$/) } } : managed[property]
      expect([property, documentedValue(words, property)]).toEqual([property, expected])
    }
  },
)
