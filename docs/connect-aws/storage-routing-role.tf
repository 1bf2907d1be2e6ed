# A read-only role by which the Storage Routing Service audits the S3 buckets of this account.
# It lists buckets, objects, versions and incomplete uploads, and reads seven settings of each bucket.
# The last statement may be left out: it reads the S3 lines of the bill and metrics.
# It cannot read the content of any object, and it cannot change anything.

terraform {
  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 5.0"
    }
  }
}

variable "service_account_id" {
  description = "The AWS account of the service, as its dashboard shows it."
  type        = string
  validation {
    condition     = can(regex("^[0-9]{12}$", var.service_account_id))
    error_message = "An AWS account id has 12 digits."
  }
}

variable "external_id" {
  description = "A text that only you and the service know. A random UUID is a good one."
  type        = string
  sensitive   = true
  validation {
    condition     = can(regex("^[A-Za-z0-9_+=,.@:/-]{16,1224}$", var.external_id))
    error_message = "An external id has 16 to 1224 of A-Z a-z 0-9 _ + = , . @ : / -"
  }
}

variable "role_name" {
  type    = string
  default = "StorageRoutingReadOnly"
}

data "aws_iam_policy_document" "trust" {
  statement {
    effect  = "Allow"
    actions = ["sts:AssumeRole"]
    principals {
      type        = "AWS"
      identifiers = ["arn:aws:iam::${var.service_account_id}:root"]
    }
    condition {
      test     = "StringEquals"
      variable = "sts:ExternalId"
      values   = [var.external_id]
    }
  }
}

data "aws_iam_policy_document" "scan" {
  statement {
    sid       = "StorageRoutingScanAccount"
    effect    = "Allow"
    actions   = ["s3:ListAllMyBuckets"]
    resources = ["*"]
  }
  statement {
    sid    = "StorageRoutingScanBucket"
    effect = "Allow"
    actions = [
      "s3:ListBucket",
      "s3:ListBucketVersions",
      "s3:GetBucketVersioning",
      "s3:GetLifecycleConfiguration",
      "s3:GetBucketTagging",
      "s3:GetBucketObjectLockConfiguration",
      "s3:GetReplicationConfiguration",
      "s3:GetBucketNotification",
      "s3:GetBucketWebsite",
      "s3:ListBucketMultipartUploads",
    ]
    resources = ["arn:aws:s3:::*"]
  }
  statement {
    sid       = "StorageRoutingScanObject"
    effect    = "Allow"
    actions   = ["s3:ListMultipartUploadParts"]
    resources = ["arn:aws:s3:::*/*"]
  }
  statement {
    sid    = "StorageRoutingScanUsage"
    effect = "Allow"
    actions = [
      "ce:GetCostAndUsage",
      "cloudwatch:ListMetrics",
      "cloudwatch:GetMetricData",
      "s3:GetMetricsConfiguration",
    ]
    resources = ["*"]
  }
}

resource "aws_iam_role" "this" {
  name                 = var.role_name
  description          = "Read-only audit of S3 by the Storage Routing Service"
  max_session_duration = 3600
  assume_role_policy   = data.aws_iam_policy_document.trust.json
}

resource "aws_iam_role_policy" "scan" {
  name   = "StorageRoutingScan"
  role   = aws_iam_role.this.id
  policy = data.aws_iam_policy_document.scan.json
}

output "role_arn" {
  description = "What to connect with, as roleArn"
  value       = aws_iam_role.this.arn
}
