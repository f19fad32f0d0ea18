import { listAuthProviders } from '#shared/http/auth-provider-operations.ts'
import { lambda } from '#shared/http/lambda.ts'

export const listEmailOtpAuthProviders = listAuthProviders('email_otp')

export const handler = lambda(listEmailOtpAuthProviders)
