import { checkEmail, emailForm } from '../../values/email.ts'
import { field } from '../../values/field.ts'

/** The address that somebody says is theirs. */
export const SignInEmail = field<string>(
  (input) => {
    if (input === undefined || input === null || (typeof input === 'string' && input.trim() === ''))
      return { message: "can't be blank" }
    if (typeof input !== 'string' || input.includes('\0')) return { message: 'is invalid' }
    const checked = checkEmail(input.trim())
    return 'email' in checked ? { value: checked.email } : checked
  },
  { type: 'string', ...emailForm },
)
