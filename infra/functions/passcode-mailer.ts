import { Duration } from 'aws-cdk-lib'
import { PolicyStatement } from 'aws-cdk-lib/aws-iam'
import { type Alias, type Code, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda'
import { Construct } from 'constructs'
import type { Roles } from '../roles/roles.ts'
import { functionSettings, type Shared } from './function-settings.ts'
import { live } from './live.ts'

type Props = { functionName: string; roles: Roles; shared: Shared; code: Code }

/**
 * The function that mails passcodes, which those that sign people in hand orders to. It has a name that is spelled out: a
 * variable tells it to all functions, of which it is one.
 */
export class PasscodeMailer extends Construct {
  readonly mailer: LambdaFunction
  readonly alias: Alias

  constructor(scope: Construct, id: string, { functionName, roles, shared, code }: Props) {
    super(scope, id)
    this.mailer = new LambdaFunction(this, 'MailPasscode', {
      ...functionSettings(shared, code, 'tasks/mail-passcode.ts'),
      functionName,
      role: roles.of.mailPasscode,
    })
    // Nobody waits for a passcode longer than it would count.
    this.alias = live(this.mailer, shared.loaded, { retryAttempts: 2, maxEventAge: Duration.minutes(15) })
    roles.of.signIn.addToPolicy(
      new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [this.alias.functionArn] }),
    )
  }
}
