import { integerSetting, oneOf, optional, secretArn, setting, textSetting, url } from './kinds.ts'

const certificate = textSetting(
  /^arn:[^:]+:acm:[^:]+:\d{12}:certificate\/\S+$/,
  'the ARN of an ACM certificate in the region of the service',
)

/** Certificate for CloudFront, which requires us-east-1 and exists only in the partition `aws`. */
const frontCertificate = textSetting(
  /^arn:aws:acm:us-east-1:\d{12}:certificate\/\S+$/,
  'the ARN of an ACM certificate in us-east-1, in the partition aws',
)

const domain = textSetting(
  /^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/,
  'a domain name like access.example.com',
)

export const addressSettings = {
  baseUrl: optional(
    url,
    'Public base URL of the API. Set it only when it is not `domainName`, for example behind another CDN.',
    "`https://<domainName>`, otherwise API Gateway's address",
  ),
  domainName: optional(
    domain,
    "Custom domain of the API. It turns off API Gateway's default address. Requires `certificateArn`.",
    "API Gateway's address",
  ),
  certificateArn: optional(certificate, 'Certificate for `domainName`.'),
  liveDomainName: optional(
    domain,
    'Custom domain of the live channel, different from `domainName`. Requires `liveCertificateArn`. Not allowed with `cdnSecretArn`.',
    "API Gateway's address",
  ),
  liveCertificateArn: optional(
    certificate,
    'Certificate for `liveDomainName`. It may be the one of `domainName` if it covers both names.',
  ),
  ipAddressType: setting(
    oneOf('dualstack', 'ipv4'),
    'dualstack',
    '`dualstack` serves IPv4 and IPv6, `ipv4` only IPv4.',
  ),
  frontCertificateArn: optional(
    frontCertificate,
    'Puts CloudFront and a firewall in front of the API, with this certificate for `domainName`. Requires `domainName` ([steps](deploy.md#cloudfront-and-a-firewall-in-front)).',
  ),
  webAclArn: optional(
    textSetting(/^arn:aws:wafv2:us-east-1:\d{12}:global\/webacl\/\S+$/, 'the ARN of a web ACL for CloudFront'),
    'Existing web ACL for CloudFront. Requires `frontCertificateArn`.',
    'a new web ACL in us-east-1',
  ),
  requestsPerAddress: setting(
    integerSetting(10, 2_000_000_000),
    60_000,
    'Maximum requests per source address in five minutes. The web ACL that the deployment creates returns 429 above it.',
  ),
  originSecretDays: setting(
    integerSetting(1, 1_000),
    30,
    'Days between two rotations of the secret that CloudFront sends to the API.',
  ),
  cdnSecretArn: optional(
    secretArn,
    'Secret that CloudFront or another CDN sends with each request. The service refuses requests without it.',
  ),
}
