import type { Construct } from 'constructs'
import { arnOf } from '../settings/made-up-names.ts'
import type { Settings } from '../settings/settings.ts'

/** The name of each secret that a new API token is put into begins with it: with the slash, no other install's prefix can. */
export const tokenSecretNames = ({ prefix }: Settings): string => `${prefix}/api-token`

export const tokenSecretArns = (scope: Construct, settings: Settings): string =>
  arnOf(scope, 'secretsmanager', `secret:${tokenSecretNames(settings)}/*`)
