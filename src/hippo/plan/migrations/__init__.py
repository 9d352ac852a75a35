"""Databases of older releases, brought to the schema of this one: numbered steps, each from one schema to the next.

An upgrade is one transaction, under the locks of all plans: it happens as a whole or not at all, and never beside a
study that runs. Alembic writes the statements that change tables, since every server wants them otherwise; it is
imported here only, and only to upgrade: a new database has the tables of today and needs none of this.

A step says in its own words what tables were like before and after it. It refuses to know the rows of today, which will
have changed again when somebody upgrades from further back.
"""

from hippo.plan.migrations.upgrading import Upgraded, schema_version, upgrade

__all__ = ["Upgraded", "schema_version", "upgrade"]
