import { Stack } from 'aws-cdk-lib'
import { Template } from 'aws-cdk-lib/assertions'
import { withoutCode } from '../without-code.ts'

type Json = Record<string, unknown>
type Statement = {
  Effect: 'Allow' | 'Deny'
  Action: string | string[]
  Resource: unknown
  Condition?: Record<string, Record<string, string | string[]>>
}
type Resource = { Type: string; Properties: Json & { PolicyDocument?: { Statement: Statement[] } } }

/** The resources of all stacks of the app, as a deployment without any settings has them. */
const synthesized = (): Promise<[id: string, resource: Resource][]> =>
  withoutCode({}, (app) => {
    const stacks = app.node.findAll().filter((node) => Stack.isStack(node))
    return stacks.flatMap((stack) => Object.entries<Resource>(Template.fromStack(stack).toJSON().Resources ?? {}))
  })

/** The role that a reference leads to, also from a nested stack: `Writer`. */
const roleIn = (reference: unknown): string =>
  /Roles([A-Z][A-Za-z]+?)[0-9A-F]{8}/.exec(JSON.stringify(reference))?.[1] ?? ''

const listed = <T>(values: T | T[]): T[] => (Array.isArray(values) ? values : [values])
const code = (text: string): string => `\`${text}\``

/** Names a resource by the construct that makes it. */
function resourceName(reference: unknown): string {
  const text = JSON.stringify(reference)
  if (reference === '*') return 'the account'
  if (text.includes('Outputs.Table')) return 'the table'
  if (text.includes('Outputs.FlowStreamArn')) return 'the flow stream'
  if (text.includes('ServiceSecret')) return 'the service secret'
  if (text.includes('/api-token/')) return 'the secrets of new API tokens'
  if (text.includes('Outputs.FailuresBucket')) return 'the bucket of failed batches'
  if (text.includes('Outputs.SealedBucket')) return 'the bucket of the sealed logs'
  if (text.includes('Outputs.SealKeyArn')) return 'the key of the sealed logs'
  if (text.includes('PasscodesMailPasscode')) return 'what mails passcodes'
  if (text.includes(':cloudformation:')) return "the service's stacks"
  if (text.includes(':function:'))
    return text.includes(':*') ? 'versions of functions of the service' : 'functions of the service'
  if (text.includes('LogGroup') || text.includes('FunctionLogs')) return 'its log group'
  if (text.includes('@connections')) return 'the connections of the live channel'
  if (/Consumers\w*(WriteChangeLog|FollowUp|StoreFlowLogs)/.test(text)) return 'the consumers'
  return text
}

/** `dynamodb:GetItem` of the table → one line. Actions of a service are told by their names alone. */
function lineOf({ Effect, Action, Resource: target, Condition }: Statement): string {
  const actions = listed(Action).map((action) => code(action))
  const on = [...new Set(listed(target).map(resourceName))].join(', ')
  // An allow holds for requests whose keys all fit, a deny for those that have any that does.
  const condition = Condition?.['ForAllValues:StringLike'] ?? Condition?.['ForAnyValue:StringLike']
  const keys = listed(condition?.['dynamodb:LeadingKeys'] ?? [])
  // An account's id is as many question marks as it has characters.
  const where = keys.map((key) => code(key.replace(/^\?{36}/, '<account>')))
  return `- ${actions.join(', ')} on ${on}${where.length > 0 ? `, ${Effect === 'Allow' ? 'only ' : ''}in ${where.join(', ')}` : ''}`
}

/** The rights of each function, as the templates say it: `docs/rights.md`. */
export async function rightsDocument(): Promise<string> {
  const resources = await synthesized()
  const statements = Map.groupBy(
    resources.flatMap(([, { Type, Properties }]) =>
      Type === 'AWS::IAM::Policy' && roleIn(Properties.Roles) !== ''
        ? (Properties.PolicyDocument?.Statement ?? []).map((statement) => ({
            role: roleIn(Properties.Roles),
            statement,
          }))
        : [],
    ),
    ({ role }) => role,
  )
  const functions = Map.groupBy(
    resources.flatMap(([, { Type, Properties }]) =>
      Type === 'AWS::Lambda::Function' && roleIn(Properties.Role) !== ''
        ? [
            {
              role: roleIn(Properties.Role),
              file: `functions/${String(Properties.Handler).replace(/\.handler$/, '.ts')}`,
            },
          ]
        : [],
    ),
    ({ role }) => role,
  )
  const linesOf = (effect: Statement['Effect'], role: string) =>
    (statements.get(role) ?? [])
      .filter(({ statement }) => statement.Effect === effect)
      .map(({ statement }) => lineOf(statement))
  const sections = [...functions.keys()]
    .sort()
    .map((role) =>
      [
        `## ${role}`,
        '',
        'May:',
        '',
        ...linesOf('Allow', role),
        '',
        'Must not, whatever else is allowed:',
        '',
        ...linesOf('Deny', role),
        '',
        'Functions:',
        '',
        ...(functions.get(role) ?? []).map(({ file }) => `- ${code(file)}`).sort(),
        '',
      ].join('\n'),
    )
  return [
    '# Rights',
    '',
    'What each function may do, made from the templates by `npm run fix`: the statements of its role, then the functions that have',
    'it. `<account>` stands for the id of any account; which one it is, the token of the caller says. Roles are in `infra/roles/roles.ts`.',
    '',
    ...sections,
  ].join('\n')
}
