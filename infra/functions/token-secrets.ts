import type { Construct } from 'constructs'
import { arnOf } from '../settings/generated-names.ts'
import type { Settings } from '../settings/settings.ts'

/** Name prefix of the secrets for new API tokens. The slash prevents a match with another deployment's prefix. */
export const tokenSecretNames = ({ prefix }: Settings): string => `${prefix}/api-token`

export const tokenSecretArns = (scope: Construct, settings: Settings): string =>
  arnOf(scope, 'secretsmanager', `secret:${tokenSecretNames(settings)}/*`)
