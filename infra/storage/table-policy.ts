import { AnyPrincipal, Effect, PolicyDocument, PolicyStatement } from 'aws-cdk-lib/aws-iam'
import type { Construct } from 'constructs'
import { arnOf, namePrefix } from '../settings/generated-names.ts'
import type { Settings } from '../settings/settings.ts'

/** All actions that write items. They also authorize transactions and PartiQL statements. */
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
 * Denies writes to every principal except the service's roles and the break-glass role (docs/decisions/0039). Permissions are granted by
 * the principals' own policies. AWS Backup, streams and time to live do not use a role in the account.
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
        // Applies to the table itself, because its generated name is not known yet.
        resources: ['*'],
        conditions: {
          ArnNotLike: {
            'aws:PrincipalArn': [
              // Uses a name pattern, because the roles belong to a stack that is deployed after the table.
              role(`${namePrefix(settings)}Roles*`),
              // Role for DynamoDB's replication, which no other principal can assume.
              role('aws-service-role/replication.dynamodb.*'),
              ...(breakGlassRoleArn === null ? [] : [breakGlassRoleArn]),
            ],
          },
          // Excludes calls made by AWS services themselves. These calls have no `aws:PrincipalArn`, so the negated operator above would
          // match them.
          Null: { 'aws:PrincipalArn': 'false' },
        },
      }),
    ],
  })
}
