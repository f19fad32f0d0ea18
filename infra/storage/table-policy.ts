import { AnyPrincipal, Effect, PolicyDocument, PolicyStatement } from 'aws-cdk-lib/aws-iam'
import type { Construct } from 'constructs'
import { arnOf, madeUpNames } from '../settings/made-up-names.ts'
import type { Settings } from '../settings/settings.ts'

/** Every action that writes an item. The parts of a transaction are authorized as these, and so are statements of PartiQL. */
const writes = [
  'dynamodb:BatchWriteItem',
  'dynamodb:DeleteItem',
  'dynamodb:PartiQLDelete',
  'dynamodb:PartiQLInsert',
  'dynamodb:PartiQLUpdate',
  'dynamodb:PutItem',
  'dynamodb:UpdateItem',
]

/**
 * Denies the writing of items to every principal but the service's roles and the break-glass role (docs/decisions/0039). Rights to
 * write come from policies of the principals alone. AWS Backup, streams and time to live write by no role of the account.
 */
export function tablePolicy(scope: Construct, settings: Settings): PolicyDocument {
  const role = (name: string) => arnOf(scope, 'iam', `role/${name}`, { region: '' })
  const { breakGlassRoleArn } = settings
  return new PolicyDocument({
    statements: [
      new PolicyStatement({
        sid: 'OnlyTheServiceWrites',
        effect: Effect.DENY,
        principals: [new AnyPrincipal()],
        actions: writes,
        // The table itself, whose name is made up after its policy.
        resources: ['*'],
        conditions: {
          ArnNotLike: {
            'aws:PrincipalArn': [
              // By the name, since the roles belong to a stack that is deployed after the table.
              role(`${madeUpNames(settings)}Roles*`),
              // DynamoDB itself replicates by this role, which nobody else can assume.
              role('aws-service-role/replication.dynamodb.*'),
              ...(breakGlassRoleArn === null ? [] : [breakGlassRoleArn]),
            ],
          },
          // A negated operator holds where the key is missing: for calls that a service makes in its own name.
          Null: { 'aws:PrincipalArn': 'false' },
        },
      }),
    ],
  })
}
