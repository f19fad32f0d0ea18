import { Duration } from 'aws-cdk-lib'
import type { Alias } from 'aws-cdk-lib/aws-lambda'
import { Construct } from 'constructs'
import { may } from '../roles/may.ts'
import type { Roles } from '../roles/roles.ts'
import { currentFunction, type Shared } from './current-function.ts'

/**
 * The function that mails passcodes, which those that sign people in hand orders to. It has a name that is spelled out: a
 * variable tells it to all functions, of which it is one.
 */
export function passcodeMailer(scope: Construct, functionName: string, { of }: Roles, shared: Shared): Alias {
  const passcodes = new Construct(scope, 'Passcodes')
  const own = { functionName, role: of.mailPasscode }
  const mailer = currentFunction(passcodes, 'MailPasscode', shared, 'tasks/mail-passcode.ts', own, {
    retryAttempts: 2,
    // Nobody waits for a passcode longer than it would count.
    maxEventAge: Duration.minutes(15),
  })
  for (const role of [of.signIn, of.callback]) role.addToPolicy(may(['lambda:InvokeFunction'], [mailer.functionArn]))
  return mailer
}
