import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { deployedRoles, onTable } from '#test/support/service/deployed-roles.ts'
import { evaluate, type Statement } from '#test/support/service/iam.ts'

type Deployed = Awaited<ReturnType<typeof deployedRoles>>

const writes = [
  'PutItem',
  'UpdateItem',
  'DeleteItem',
  'BatchWriteItem',
  'PartiQLInsert',
  'PartiQLUpdate',
  'PartiQLDelete',
]
const reads = ['GetItem', 'BatchGetItem', 'Query', 'Scan', 'ConditionCheckItem', 'PartiQLSelect']
/** Calls that manage the table, as CloudFormation and AWS Backup send them. */
const management = [
  'DescribeTable',
  'UpdateTable',
  'DeleteTable',
  'UpdateTimeToLive',
  'UpdateContinuousBackups',
  'RestoreTableToPointInTime',
  'StartAwsBackupJob',
  'TagResource',
  'GetResourcePolicy',
  'PutResourcePolicy',
  'DeleteResourcePolicy',
]
const known = new Set(['dynamodb:LeadingKeys', 'dynamodb:EnclosingOperation', 'aws:PrincipalArn'])
const everything: Statement[] = [{ Effect: 'Allow', Action: '*', Resource: '*' }]
const account = 'arn:aws:iam::000000000000'
const sso = `${account}:role/aws-reserved/sso.amazonaws.com/eu-central-1/AWSReservedSSO_BreakGlass_`

let plain: Deployed
let other: Deployed
beforeAll(async () => {
  plain = await deployedRoles({})
  other = await deployedRoles({ stackName: 'NetworkAccessOfTheSecondCompany', breakGlassRoleArn: `${sso}*` })
})

/** Evaluates a call by a principal of the account against the principal's statements and the table's policy. */
function decide(
  { rights }: Deployed,
  arn: string | null,
  statements: Statement[],
  action: string,
  keys: string[] = [],
) {
  const { context } = onTable(action, ...keys)
  const ofTable = rights.tablePolicy.map(({ Principal, ...statement }) => {
    expect(Principal).toEqual({ AWS: '*' })
    return statement
  })
  const call = {
    action: `dynamodb:${action}`,
    resource: rights.arnOf('table'),
    context: { ...context, ...(arn !== null && { 'aws:PrincipalArn': arn }) },
  }
  return evaluate([...statements, ...ofTable], call, known)
}

describe('the policy of the table', () => {
  it.each(['plain', 'other'])("does not restrict the service's roles: %s", (which) => {
    const deployed = which === 'plain' ? plain : other
    const writing = new Set<string>()
    for (const { name, arn, statements } of deployed.roles) {
      for (const action of [...writes, ...reads]) {
        for (const key of ['groups', 'clients', 'commits', 'log.change#2026-11-22', 'rate.account', 'seal.changes']) {
          const alone = evaluate(statements, {
            action: `dynamodb:${action}`,
            resource: deployed.rights.arnOf('table'),
            context: onTable(action, key).context,
          })
          expect(decide(deployed, arn, statements, action, [key]), `${name} ${action} ${key}`).toBe(alone)
          if (alone === 'allowed' && writes.includes(action)) writing.add(name)
        }
      }
    }
    expect(writing.size).toBeGreaterThan(15)
  })

  it.each([
    `${account}:role/Administrator`,
    `${account}:role/cdk-hnb659fds-cfn-exec-role-000000000000-us-east-1`,
    `${account}:user/ada`,
    `${account}:root`,
    `${account}:role/NetworkAccessTest-RolesWriter0A1B2C3D-AbCdEf123456`,
    `${account}:role/path/NetworkAccess-RolesWriter0A1B2C3D-AbCdEf123456`,
    'arn:aws:iam::111111111111:role/NetworkAccess-RolesWriter0A1B2C3D-AbCdEf123456',
    `${sso}0123456789abcdef`,
  ])("denies every write to %s, even if the principal's own policies allow it", (arn) => {
    for (const action of writes) {
      expect(decide(plain, arn, everything, action, ['groups']), action).toBe('explicitly denied')
      expect(decide(plain, arn, everything, action), action).toBe('explicitly denied')
    }
  })

  it('does not affect reads and management of the table', () => {
    for (const action of [...reads, ...management]) {
      expect(decide(plain, `${account}:role/Administrator`, everything, action, ['groups']), action).toBe('allowed')
      expect(decide(plain, `${account}:role/Nobody`, [], action, ['groups']), action).toBe('implicitly denied')
    }
  })

  it('exempts the configured break-glass role, and no role with a longer name', () => {
    for (const action of writes) {
      expect(decide(other, `${sso}0123456789abcdef`, everything, action, ['groups'])).toBe('allowed')
      expect(decide(other, `${account}:role/AWSReservedSSO_BreakGlass_0`, everything, action)).toBe('explicitly denied')
      expect(decide(other, `${account}:role/Administrator`, everything, action)).toBe('explicitly denied')
    }
  })

  it('does not affect calls that an AWS service makes on its own, nor replication', () => {
    // Expects that calls without a principal ARN, such as TTL deletions, stay allowed.
    for (const action of writes) expect(decide(plain, null, everything, action, ['groups'])).toBe('allowed')
    const replication = `${account}:role/aws-service-role/replication.dynamodb.amazonaws.com/AWSServiceRoleForDynamoDBReplication`
    expect(decide(plain, replication, everything, 'BatchWriteItem', ['groups'])).toBe('allowed')
  })

  it("fits DynamoDB's maximum of 20 KB, and grants nothing", () => {
    for (const { rights } of [plain, other]) {
      expect(JSON.stringify(rights.tablePolicy).length).toBeLessThan(4_000)
      expect(rights.tablePolicy.map(({ Effect }) => Effect)).toEqual(['Deny'])
    }
  })

  it('is the policy that docs/deploy.md has for an existing table', () => {
    const [, json = ''] =
      /```json\n(\{\n\s+"Version".*?"OnlyTheServiceWrites".*?)\n\s*```/s.exec(readFileSync('docs/deploy.md', 'utf8')) ??
      []
    const documented = JSON.parse(
      json.replaceAll('<account>', '000000000000').replaceAll('<stackName>', 'NetworkAccess'),
    )
    expect(documented).toEqual({ Version: '2012-10-17', Statement: plain.rights.tablePolicy })
  })
})
