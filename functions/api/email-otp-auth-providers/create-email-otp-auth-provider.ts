import { createAuthProvider } from '#shared/http/auth-provider-operations.ts'
import { lambda } from '#shared/http/lambda.ts'

export const createEmailOtpAuthProvider = createAuthProvider('email_otp')

export const handler = lambda(createEmailOtpAuthProvider)
