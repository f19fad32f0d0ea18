import { ArnFormat, Stack } from 'aws-cdk-lib'
import { AccountRootPrincipal, PolicyDocument, PolicyStatement } from 'aws-cdk-lib/aws-iam'
import { type IKey, Key, KeySpec, KeyUsage } from 'aws-cdk-lib/aws-kms'
import type { Construct } from 'constructs'
import { madeUpNames } from '../settings/made-up-names.ts'
import type { Settings } from '../settings/settings.ts'
import { keptBy } from './kept-by.ts'

/** What an administrator of the account does with a key; to sign with it is not among it. */
const administration = [
  'kms:CancelKeyDeletion',
  'kms:CreateAlias',
  'kms:DeleteAlias',
  'kms:Describe*',
  'kms:Disable*',
  'kms:Enable*',
  'kms:Get*',
  'kms:List*',
  'kms:Put*',
  'kms:ScheduleKeyDeletion',
  'kms:TagResource',
  'kms:UntagResource',
  'kms:Update*',
  'kms:Verify',
]

/**
 * The key that signs checkpoints (S2.2): Ed25519, in KMS, which hands it out to nobody. Only the sealing function signs. One that
 * is there already says so in its own policy.
 */
export function sealKey(scope: Construct, settings: Settings): IKey {
  if (settings.sealKeyArn !== null) return Key.fromKeyArn(scope, 'SealKey', settings.sealKeyArn)
  const root = new AccountRootPrincipal()
  const role = Stack.of(scope).formatArn({
    service: 'iam',
    region: '',
    resource: 'role',
    resourceName: `${madeUpNames(settings)}RolesSeal*`,
    arnFormat: ArnFormat.SLASH_RESOURCE_NAME,
  })
  const policy = new PolicyDocument({
    statements: [
      new PolicyStatement({ principals: [root], actions: administration, resources: ['*'] }),
      new PolicyStatement({
        principals: [root],
        actions: ['kms:Sign'],
        resources: ['*'],
        conditions: { ArnLike: { 'aws:PrincipalArn': role } },
      }),
    ],
  })
  return new Key(scope, 'SealKey', {
    description: 'Network Access Administration: signs the checkpoints of the sealed logs.',
    keySpec: KeySpec.ECC_NIST_EDWARDS25519,
    keyUsage: KeyUsage.SIGN_VERIFY,
    // A key can never become multi-Region later. Without a replica it signs in its own region alone.
    multiRegion: true,
    policy,
    removalPolicy: keptBy(settings),
  })
}
