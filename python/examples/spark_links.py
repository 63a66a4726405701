"""The links of a mail archive as Parquet, by year.

    python spark_links.py archive/ links/

Writes three tables to the folder links/:

urls: a row for each URL, in folders by type and year. An input that cannot be read
    has a row with the type "error".
hosts: the number of links to each host in each year.
first: the first message of each URL.
"""

import sys

import urlgrep.spark
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

COLUMNS = ["type", "path", "offset", "date", "host", "url", "canonical", "role", "reason"]


def links(spark: SparkSession, paths: list[str], out: str) -> DataFrame:
    """Writes the tables. Returns the hosts by year."""
    urlgrep.spark.register(spark)
    reader = spark.read.format("urlgrep").schema(urlgrep.spark.schema(COLUMNS))
    rows = reader.load(paths).withColumn("year", f.year("date"))
    # The archive is searched once. The other tables are made from this one.
    rows.write.mode("overwrite").partitionBy("type", "year").parquet(f"{out}/urls")

    urls = spark.read.parquet(f"{out}/urls").where("type = 'hit'")
    hosts = urls.groupBy("year", "host").count()
    hosts.write.mode("overwrite").parquet(f"{out}/hosts")
    # This needs one aggregation with one shuffle, and no sort. A date that cannot
    # be read is null. A row without a date is the first row of its URL only if no row
    # of this URL has a date.
    place = f.struct(f.col("date").isNull(), "date", "path", "offset", "url")
    first = urls.groupBy("canonical").agg(
        f.min(place).alias("first"), f.count("*").alias("number")
    )
    first.select("canonical", "number", "first.date", "first.path", "first.offset").write.mode(
        "overwrite"
    ).parquet(f"{out}/first")
    return hosts


if __name__ == "__main__":
    session = SparkSession.builder.appName("links").getOrCreate()
    *archive, folder = sys.argv[1:]
    links(session, archive, folder).orderBy("year", f.desc("count")).show(50, False)
