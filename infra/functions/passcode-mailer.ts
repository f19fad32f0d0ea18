import { Duration } from 'aws-cdk-lib'
import type { Alias } from 'aws-cdk-lib/aws-lambda'
import { Construct } from 'constructs'
import { may } from '../roles/may.ts'
import type { Roles } from '../roles/roles.ts'
import { currentFunction, type FunctionDefaults } from './current-function.ts'

/**
 * Creates the function that mails passcodes, which the sign-in functions invoke asynchronously. The function has an explicit name, because
 * every function's environment contains the name. A generated name would create a circular reference.
 */
export function passcodeMailer(
  scope: Construct,
  functionName: string,
  { of }: Roles,
  defaults: FunctionDefaults,
): Alias {
  const passcodes = new Construct(scope, 'Passcodes')
  const properties = { functionName, role: of.mailPasscode }
  const mailer = currentFunction(passcodes, 'MailPasscode', defaults, 'tasks/mail-passcode.ts', properties, {
    retryAttempts: 2,
    // Drops events older than 15 minutes, the lifetime of a passcode.
    maxEventAge: Duration.minutes(15),
  })
  for (const role of [of.signIn, of.callback]) role.addToPolicy(may(['lambda:InvokeFunction'], [mailer.functionArn]))
  return mailer
}
