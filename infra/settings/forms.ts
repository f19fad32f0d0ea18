import { text } from './kinds.ts'

export const mailAddress = text(/^[^@\s]+@[^@\s]+$/, 'an address like access@example.com')

export const url = text(/^https?:\/\/[^\s/]+(\/\S*)?$/, 'an address like https://access.example.com')

/** An address with places that are filled in when it is called. */
export const urlWithPlaces = (rule: string) => text(/^https?:\/\/[^\s?#]+$/, rule)

export const urlOfTenant = text(/^https?:\/\/[^\s?#]*\{tenant_id\}[^\s?#{}]*$/, 'an address with {tenant_id} in it')

export const secretArn = text(
  /^arn:[^:]+:secretsmanager:[^:]+:\d{12}:secret:[^:]+-\w{6}$/,
  'the whole ARN of a secret, with its six last characters',
)

export const bucketName = text(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'the name of a bucket')
