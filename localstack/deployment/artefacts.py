"""What is uploaded: archives of the functions and of the policies, by the digest of their content."""

import hashlib
import io
import zipfile

from botocore.exceptions import ClientError
from sam import ROOT
from trouble import Trouble


def files(directory):
    """`{path: bytes}` of a directory of this repository."""
    root = ROOT / directory
    return {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


def archive(contents, level):
    """A zip of `{path: bytes}`, where a `bootstrap` may be executed."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as target:
        for path, content in contents.items():
            entry = zipfile.ZipInfo(path)
            entry.external_attr = (0o100755 if path == "bootstrap" else 0o100644) << 16
            target.writestr(entry, content, zipfile.ZIP_DEFLATED, level)
    return buffer.getvalue()


def digest(contents):
    """Of paths and bytes, each after its length."""
    digest = hashlib.sha256()
    for part in (part for path, content in sorted(contents.items()) for part in (path.encode(), content)):
        digest.update(len(part).to_bytes(8, "big") + part)
    return digest.hexdigest()


class Bucket:
    """Where artefacts are. `level` is how hard they are compressed: 1 is quick, 9 is small."""

    def __init__(self, client, name, level):
        self.client, self.name, self.level = client, name, level

    def there(self, make):
        """Looks for the bucket; `make` makes it where there is none."""
        region = self.client.meta.region_name
        try:
            found = self.client.head_bucket(Bucket=self.name)
            # CloudFormation reads a template, and Lambda an archive, in their own region only.
            there = found["ResponseMetadata"]["HTTPHeaders"].get("x-amz-bucket-region", region)
            if there != region:
                raise Trouble(f"the bucket {self.name} is in {there}, and AWS_REGION is {region}; pass another one with --bucket")
        except ClientError as error:
            if error.response["ResponseMetadata"]["HTTPStatusCode"] != 404:
                raise Trouble(f"the bucket {self.name} is not yours, or you may not use it; pass another one with --bucket") from None
            if not make:
                raise Trouble(f"there is no bucket {self.name}; make it, private (`aws s3 mb s3://{self.name}`), or pass another one with --bucket") from None
            # us-east-1 is refused as a constraint (https://docs.aws.amazon.com/AmazonS3/latest/API/API_CreateBucket.html).
            where = {} if region == "us-east-1" else {"CreateBucketConfiguration": {"LocationConstraint": region}}
            self.client.create_bucket(Bucket=self.name, **where)

    def archived(self, name, contents):
        """The key of an archive of `{path: bytes}`."""
        return self.kept(f"decide-once/{name}/{digest(contents)}.zip", lambda: archive(contents, self.level))

    def template(self, text):
        """The key of a template."""
        return self.kept(f"decide-once/template/{digest({'': text})}.json", lambda: text)

    def kept(self, key, make):
        """Uploads what is not there yet."""
        try:
            self.client.head_object(Bucket=self.name, Key=key)
        except ClientError as error:
            if error.response["ResponseMetadata"]["HTTPStatusCode"] != 404:
                raise
            self.client.put_object(Bucket=self.name, Key=key, Body=make())
        return key

    def uri(self, key):
        """As SAM names it."""
        return f"s3://{self.name}/{key}"

    def url(self, key):
        """As CloudFormation reads it: a template of more than 51,200 bytes comes from S3 only
        (https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html)."""
        endpoint = self.client.meta.endpoint_url
        return f"{endpoint}/{self.name}/{key}"
