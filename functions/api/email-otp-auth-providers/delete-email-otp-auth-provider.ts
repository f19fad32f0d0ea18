import { deleteAuthProvider } from '#shared/http/auth-provider-operations.ts'
import { lambda } from '#shared/http/lambda.ts'
import { getEmailOtpAuthProvider } from './get-email-otp-auth-provider.ts'

export const deleteEmailOtpAuthProvider = deleteAuthProvider('email_otp', getEmailOtpAuthProvider)

export const handler = lambda(deleteEmailOtpAuthProvider)
