import { getAuthProvider } from '#shared/http/auth-provider-operations.ts'
import { lambda } from '#shared/http/lambda.ts'

export const getEmailOtpAuthProvider = getAuthProvider('email_otp')

export const handler = lambda(getEmailOtpAuthProvider)
