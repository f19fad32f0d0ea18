import type { AccountRow } from '../../domain/accounts/account.ts'
import type { SignInContext } from '../sign-in-context.ts'

/** The mail that brings a passcode (I8.3): plain text, and no link that would act by being opened. */
export const passcodeMail = (
  { name: given, slug }: Pick<AccountRow, 'name' | 'slug'>,
  passcode: string,
  { purpose, context }: { purpose: 'sign_in' | 'proof'; context: SignInContext },
) => {
  // No line of its own for whoever names an account.
  const name = given.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
  return {
    subject: `Your passcode for ${name}`,
    text: [
      purpose === 'sign_in'
        ? `Somebody wants to sign in to ${name} (${slug}) with this email address, ${context === 'portal' ? 'to administer it' : 'on a device'}. The passcode is`
        : `Somebody signs in to ${name} (${slug}) for the first time and says that this email address is theirs. The passcode that confirms it is`,
      '',
      `    ${passcode}`,
      '',
      'It counts once, within 15 minutes, for this alone, and no earlier one does any more. Enter it only where you have',
      'begun to sign in yourself, and pass it on to nobody.',
      '',
      'If that was not you, there is nothing to do: without the passcode nobody gets in.',
      '',
    ].join('\n'),
  }
}
