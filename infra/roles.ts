import { ManagedPolicy, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Construct } from 'constructs'
import type { Storage } from './storage.ts'

const reads = ['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:Query']
const writes = [
  'dynamodb:PutItem',
  'dynamodb:UpdateItem',
  'dynamodb:DeleteItem',
  'dynamodb:ConditionCheckItem',
  'dynamodb:BatchWriteItem',
]

/** Partitions that a read adds to: its request log entry, and the last use of its token. */
const readersOwn = ['*#log.api_request#*', '*#live.*']

/** One role for each kind of work, with no more rights than that work has. */
export class Roles extends Construct {
  readonly reader: Role
  readonly writer: Role
  readonly ingest: Role
  private readonly storage: Storage

  constructor(scope: Construct, id: string, storage: Storage) {
    super(scope, id)
    this.storage = storage
    this.reader = this.role('Reader', [
      this.onTable(reads),
      new PolicyStatement({
        actions: ['dynamodb:PutItem', 'dynamodb:UpdateItem'],
        resources: [storage.table.tableArn],
        conditions: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': readersOwn } },
      }),
    ])
    this.writer = this.role('Writer', [this.onTable([...reads, ...writes])])
    this.ingest = this.role('Ingest', [
      this.onTable(['dynamodb:GetItem']),
      new PolicyStatement({ actions: ['kinesis:PutRecords'], resources: [storage.flows.streamArn] }),
    ])
  }

  /** A role of a consumer that writes to the table. Its event source adds what reading the stream needs. */
  consumer(name: string): Role {
    return this.role(name, [this.onTable([...reads, ...writes])])
  }

  private onTable(actions: string[]): PolicyStatement {
    return new PolicyStatement({ actions, resources: [this.storage.table.tableArn] })
  }

  private role(name: string, statements: PolicyStatement[]): Role {
    const role = new Role(this, name, {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      managedPolicies: [ManagedPolicy.fromAwsManagedPolicyName('service-role/AWSLambdaBasicExecutionRole')],
    })
    for (const statement of statements) role.addToPolicy(statement)
    role.addToPolicy(
      new PolicyStatement({ actions: ['secretsmanager:GetSecretValue'], resources: [this.storage.secret.secretArn] }),
    )
    return role
  }
}
