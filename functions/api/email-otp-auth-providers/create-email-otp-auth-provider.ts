import { createAuthProvider } from '#shared/auth-providers/operations.ts'
import { lambda } from '#shared/http/lambda.ts'

export const createEmailOtpAuthProvider = createAuthProvider('email_otp')

export const handler = lambda(createEmailOtpAuthProvider)
