import { getAuthProvider } from '#shared/auth-providers/operations.ts'
import { lambda } from '#shared/http/lambda.ts'

export const getEmailOtpAuthProvider = getAuthProvider('email_otp')

export const handler = lambda(getEmailOtpAuthProvider)
