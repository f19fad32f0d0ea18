import { AccountRootPrincipal, PolicyDocument, PolicyStatement } from 'aws-cdk-lib/aws-iam'
import { type IKey, Key, type KeyProps, KeySpec, KeyUsage } from 'aws-cdk-lib/aws-kms'
import type { Construct } from 'constructs'
import { arnOf, madeUpNames } from '../settings/made-up-names.ts'
import type { Settings } from '../settings/settings.ts'
import { keptBy } from './kept-by.ts'

/** Actions of an administrator of the account on a key. They neither sign nor decrypt. */
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
  'kms:RotateKeyOnDemand',
  'kms:ScheduleKeyDeletion',
  'kms:TagResource',
  'kms:UntagResource',
  'kms:Update*',
  'kms:Verify',
]

/** Uses of a key that the account leaves to the roles of some duties. */
type Use = { actions: string[]; duties: ('Callback' | 'Seal' | 'Sync' | 'Writer')[] }

/** A key that is there already has a policy of its own. Else the account administers it, and none but roles of the service use it. */
function keyOf(
  scope: Construct,
  id: string,
  settings: Settings,
  there: string | null,
  uses: Use[],
  own: KeyProps,
): IKey {
  if (there !== null) return Key.fromKeyArn(scope, id, there)
  const principals = [new AccountRootPrincipal()]
  const role = (duty: string) => arnOf(scope, 'iam', `role/${madeUpNames(settings)}Roles${duty}*`, { region: '' })
  const statements = uses.map(({ actions, duties }) => {
    const conditions = { ArnLike: { 'aws:PrincipalArn': duties.map(role) } }
    return new PolicyStatement({ principals, actions, resources: ['*'], conditions })
  })
  // A replica of a key that signs would be a second place that can sign (docs/decisions/0026).
  const copying = own.keyUsage === KeyUsage.SIGN_VERIFY ? [] : ['kms:ReplicateKey']
  const administering = new PolicyStatement({ principals, actions: [...administration, ...copying], resources: ['*'] })
  return new Key(scope, id, {
    // A key can never become multi-Region later. A replica in another region opens the secrets of a table that is restored there.
    multiRegion: true,
    policy: new PolicyDocument({ statements: [administering, ...statements] }),
    removalPolicy: keptBy(settings),
    ...own,
  })
}

/** The key that signs checkpoints (S2.2): Ed25519, in KMS, which hands it out to nobody. Only the sealing function signs. */
export const sealSigningKey = (scope: Construct, settings: Settings): IKey =>
  keyOf(scope, 'SealKey', settings, settings.sealKeyArn, [{ actions: ['kms:Sign'], duties: ['Seal'] }], {
    description: 'Network Access Administration: signs the checkpoints of the sealed logs.',
    keySpec: KeySpec.ECC_NIST_EDWARDS25519,
    keyUsage: KeyUsage.SIGN_VERIFY,
  })

/**
 * The key that encrypts secrets of providers and directories. Roles that write them only encrypt; callbacks of sign-in
 * and synchronisation alone decrypt. KMS rotates it.
 */
export function secretKey(scope: Construct, settings: Settings): IKey {
  const uses: Use[] = [
    { actions: ['kms:GenerateDataKey'], duties: ['Writer'] },
    { actions: ['kms:Decrypt'], duties: ['Callback', 'Sync'] },
  ]
  return keyOf(scope, 'SecretKey', settings, settings.secretKeyArn, uses, {
    description:
      'Network Access Administration: secrets of providers and directories. Without it they are entered again.',
    enableKeyRotation: true,
  })
}
